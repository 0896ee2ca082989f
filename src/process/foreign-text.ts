/**
 * Makes text that another program chose safe for a terminal, a log and a page: control and format characters, line and
 * direction marks are written as `\u{…}`, and what exceeds the limit is cut with an ellipsis.
 */
export function escapeForeignText(text: string, maxCharacters = 60): string {
  const characters = [...text.slice(0, maxCharacters * 2 + 1)];
  const shown = characters.length > maxCharacters ? [...characters.slice(0, maxCharacters), "…"] : characters;
  return shown
    .join("")
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
