/** A command as the user wrote it, or why it is none. */
export type ParsedArguments =
  | { readonly kind: "arguments"; readonly command: ArgumentList }
  | { readonly kind: "issue"; readonly message: string; readonly hint: string };

/** A program and its arguments: nothing in them is expanded. */
export type ArgumentList = readonly [program: string, ...parameters: string[]];

const hint = `write words, with quotes where one holds a space (nginx -t -c "/etc/my nginx.conf"), or a JSON array (["nginx","-t"])`;

/**
 * Reads a command: a JSON array of strings, or words. `'…'` keeps everything, `"…"` keeps all but `\"` and `\\`, a
 * backslash outside of quotes keeps the next character. There is no shell, so what only a shell would understand is an
 * issue unless it is quoted.
 */
export function parseArgumentList(text: string): ParsedArguments {
  const trimmed = text.trim();
  const words = trimmed.startsWith("[") ? readArray(trimmed) : readWords(trimmed);
  if (!Array.isArray(words)) return { kind: "issue", ...words };
  const [program, ...parameters] = words;
  if (program === undefined || program === "") return { kind: "issue", message: "there is no command in it", hint };
  if (words.some((word) => word.includes("\0"))) return { kind: "issue", message: "it holds a NUL character", hint };
  return { kind: "arguments", command: [program, ...parameters] };
}

interface Issue {
  readonly message: string;
  readonly hint: string;
}

function readArray(text: string): string[] | Issue {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { message: "it begins like a JSON array and isn't one", hint };
  }
  if (Array.isArray(value) && value.every((word) => typeof word === "string")) return value;
  return { message: "a JSON array may hold only strings", hint };
}

const shellSyntax = new Set([..."|&;<>`$()*?{}"]);

function readWords(text: string): string[] | Issue {
  const words: string[] = [];
  let word: string | undefined;
  let quote: '"' | "'" | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    if (quote !== undefined) {
      const escapes = quote === '"' && character === "\\" && (next === '"' || next === "\\");
      if (escapes) at++;
      if (character === quote) quote = undefined;
      else word = (word ?? "") + (escapes ? next : character);
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (character === "\\") {
      if (next === "") return { message: "it ends in a backslash", hint };
      word = (word ?? "") + next;
      at++;
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (shellSyntax.has(character)) {
      return {
        message: `${character} at character ${at + 1} would need a shell, and none is used`,
        hint: `put it in quotes if it belongs to the word, or name the shell: ["sh","-c","…"]`,
      };
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== undefined) return { message: `the quote ${quote} isn't closed`, hint };
  if (word !== undefined) words.push(word);
  return words;
}
