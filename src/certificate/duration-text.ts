const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const;

/** A duration for people in its two largest units: `21d 4h`, `5m`, `0s`. */
export function toDurationText(durationMs: number): string {
  let leftMs = Math.abs(durationMs);
  const parts: string[] = [];
  for (const [unit, unitMs] of units) {
    const count = Math.floor(leftMs / unitMs);
    leftMs -= count * unitMs;
    if (count > 0) {
      parts.push(`${count}${unit}`);
    } else if (parts.length > 0) {
      break;
    }
  }
  return parts.slice(0, 2).join(" ") || "0s";
}
