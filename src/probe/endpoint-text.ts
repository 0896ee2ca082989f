/** What a part of an endpoint's URL stands for; undefined for a lone percent sign, which encodes nothing. */
export function decodePart(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // Undefined says it.
    return undefined;
  }
}
