import { access } from "node:fs";
import process from "node:process";
import { config } from "../src/config/options/agent.ts";
import { endpoint } from "../src/config/options/proof.ts";
import { createOptionReader, isGivenOutside, type Sources } from "../src/config/sources.ts";

/**
 * What the C library's resolver is told (resolv.conf(5), `RES_OPTIONS`): a name server that doesn't answer costs three
 * seconds, not ten. A look-up can't be called off once it has begun, and until it ends it keeps a thread from others and
 * the process from ending.
 */
const resolverOptions = "timeout:1 attempts:2";

/** A file may name hundreds of endpoints. For one or two the threads that there are will do: a pod's are counted. */
export function countNameLookups(sources: Sources): number {
  const endpoints = createOptionReader(sources).read(endpoint)?.length ?? 0;
  return isGivenOutside(config, sources) || endpoints > 2 ? 8 : 2;
}

/**
 * Makes room for so many look-ups of names at once; to be called before anything else uses libuv's threads, as their
 * number is settled by then. What the user has set stays.
 */
export function prepareNameLookups(atOnce: number): void {
  process.env["RES_OPTIONS"] ??= resolverOptions;
  if (process.env["UV_THREADPOOL_SIZE"] !== undefined) return;
  // Look-ups get half of the threads (libuv, "slow I/O").
  process.env["UV_THREADPOOL_SIZE"] = String(2 * atOnce);
  access("/", () => undefined);
  delete process.env["UV_THREADPOOL_SIZE"];
}
