/** What `escapeForeign` shows in prose; a line feed between the tokens is JSON's own. */
const unprintable = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/**
 * A value as indented JSON that is harmless on a terminal: foreign text in it reads back as it was, but every control,
 * format and direction-changing character is written as `\uXXXX` (RFC 8259, section 7). Ends with a line feed.
 */
export function toJsonText(value: object): string {
  return `${escapeJson(JSON.stringify(value, undefined, 2))}\n`;
}

/** The same JSON, its unprintable characters written as `\uXXXX`; line feeds between the tokens stay. */
export function escapeJson(json: string): string {
  return json.replace(unprintable, toEscapes);
}

/** JSON knows UTF-16 units alone: a character beyond the basic plane takes two escapes. */
function toEscapes(character: string): string {
  return Array.from(
    { length: character.length },
    (_, position) => `\\u${character.charCodeAt(position).toString(16).padStart(4, "0")}`,
  ).join("");
}
