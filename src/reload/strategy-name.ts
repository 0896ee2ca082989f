/** The words that `--reload` takes: each names one strategy, and `none` a ladder without any. */
export const strategyNames = ["signal", "nginx", "http", "exec", "restart", "exit", "none"] as const;

/** One of the words that `--reload` takes. Stable under SemVer. */
export type StrategyName = (typeof strategyNames)[number];

/** Is this one of the words that `--reload` takes? */
export function isStrategyName(text: string): text is StrategyName {
  return (strategyNames as readonly string[]).includes(text);
}
