import type { ExecStrategyOptions } from "./exec.ts";
import type { HttpStrategyOptions } from "./http-options.ts";
import type { NginxStrategyOptions } from "./nginx.ts";
import type { ReloadStrategy } from "./reload-strategy.ts";
import type { RestartStrategyOptions } from "./restart.ts";
import type { SignalStrategyOptions } from "./signal.ts";

/** One rung of the ladder: the strategy's name and what it needs. */
export type StrategyConfig =
  | ({ readonly name: "signal" } & SignalStrategyOptions)
  | ({ readonly name: "nginx" } & NginxStrategyOptions)
  | ({ readonly name: "http" } & HttpStrategyOptions)
  | ({ readonly name: "exec" } & ExecStrategyOptions)
  | ({ readonly name: "restart" } & RestartStrategyOptions)
  | { readonly name: "exit"; readonly status: number };

/** Creates the configured strategy, and loads the code of no other. */
export async function createStrategy(config: StrategyConfig): Promise<ReloadStrategy> {
  switch (config.name) {
    case "signal":
      return (await import("./signal.ts")).createSignalStrategy(config);
    case "nginx":
      return (await import("./nginx.ts")).createNginxStrategy(config);
    case "http":
      return (await import("./http.ts")).createHttpStrategy(config);
    case "exec":
      return (await import("./exec.ts")).createExecStrategy(config);
    case "restart":
      return (await import("./restart.ts")).createRestartStrategy(config);
    case "exit":
      return (await import("./exit.ts")).createExitStrategy(config);
  }
}
