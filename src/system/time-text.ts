const units = [
  { ms: 86_400_000, name: "d" },
  { ms: 3_600_000, name: "h" },
  { ms: 60_000, name: "min" },
  { ms: 1_000, name: "s" },
] as const;

/** A duration for people: the largest unit that fits, rounded down (`89d`, `3h`, `12s`, `250ms`). Negative is 0. */
export function formatDuration(durationMs: number): string {
  const unit = units.find(({ ms }) => durationMs >= ms);
  return unit === undefined
    ? `${Math.max(0, Math.round(durationMs))}ms`
    : `${Math.floor(durationMs / unit.ms)}${unit.name}`;
}

/** A moment for people and logs, to the second in UTC: `2026-11-30T09:10:00Z`. Beyond what a date can hold: the number. */
export function formatTime(wallMs: number): string {
  const date = new Date(wallMs);
  return Number.isNaN(date.getTime()) ? `${wallMs} ms` : `${date.toISOString().slice(0, 19)}Z`;
}
