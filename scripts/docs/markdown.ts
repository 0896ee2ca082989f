/** A table in Markdown, its columns aligned as the formatter has them; a `|` in a cell is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((cells) => cells.map(toCell));
  const widths = head.map((_, column) => Math.max(3, ...lines.map((cells) => cells[column]?.length ?? 0)));
  const render = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? "").padEnd(width)).join(" | ")} |\n`;
  const [first = [], ...rest] = lines;
  return [first, widths.map((width) => "-".repeat(width)), ...rest].map(render).join("");
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
