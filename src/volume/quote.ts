/** A path or name as it may stand in a message: anything but plain printable ASCII is escaped. */
export function quote(text: string): string {
  return /^[!-~]+( [!-~]+)*$/.test(text) ? text : JSON.stringify(text).replaceAll(/[^ -~]/g, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
