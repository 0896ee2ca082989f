/**
 * Control, format, surrogate, private and unassigned characters, line and paragraph separators: whatever could move a
 * cursor, turn the reading direction (Unicode TR 36) or hide itself.
 */
const unprintable = /^[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]$/u;

/**
 * Foreign text (from a certificate, a server or a process) in one harmless line for a terminal, a log or a page.
 *
 * Unprintable characters are shown as `\x1b` or `\u{202e}`; everything else stays. It is no HTML escaping.
 *
 * @param maxLength the most UTF-16 units of the result; a longer text ends in `…`
 */
export function escapeForeign(text: string, maxLength: number): string {
  return escapeEach(text, maxLength, show);
}

/**
 * The same in double quotes, as a message repeats what others said: a quote or backslash of the text has a backslash
 * before it.
 *
 * @param maxLength without the quotes
 */
export function quoteForeign(text: string, maxLength: number = 200): string {
  return `"${escapeEach(text, maxLength, (character) => (/["\\]/.test(character) ? `\\${character}` : show(character)))}"`;
}

function escapeEach(text: string, maxLength: number, toShown: (character: string) => string): string {
  let escaped = "";
  // Where the result is cut if it turns out too long: one place is kept for the ellipsis.
  let cut = 0;
  for (const character of text) {
    const shown = toShown(character);
    if (escaped.length + shown.length > maxLength) {
      return maxLength < 1 ? "" : `${escaped.slice(0, cut)}…`;
    }
    escaped += shown;
    if (escaped.length < maxLength) {
      cut = escaped.length;
    }
  }
  return escaped;
}

function show(character: string): string {
  if (!unprintable.test(character)) return character;
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length <= 2 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`;
}
