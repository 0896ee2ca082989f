const longestShown = 200;

/**
 * Text from a certificate, a server or a file, made safe for a message: in double quotes, everything invisible or
 * direction-changing written as an escape, cut after 200 characters.
 */
export function quoteForeign(text: string): string {
  const cut = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
  const escaped = cut.replace(/["\\]|[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '"' || character === "\\" ? `\\${character}` : `\\u{${toHex(character)}}`,
  );
  return `"${escaped}"`;
}

function toHex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}
