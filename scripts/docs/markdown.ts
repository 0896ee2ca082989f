/** A table in Markdown; a `|` in a cell is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(toCell).join(" | ")} |\n`);
  return lines.join("");
}

function toCell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** Text as code, in a cell or a sentence. */
export function code(text: string): string {
  return `\`${text}\``;
}

/** A fenced block. */
export function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`;
}
