import { createLooker } from "../src/agent/looker.ts";
import type { ServingConfig } from "../src/config/config.ts";
import { readCheckConfig } from "../src/config/read-config.ts";
import type { CertificateFacts } from "../src/core/certificate-facts.ts";
import type { ProbeResult } from "../src/core/probe-result.ts";
import type { Verdict } from "../src/core/state.ts";
import { judgeAllServed } from "../src/core/verdict.ts";
import type { VolumeLook } from "../src/core/volume-look.ts";
import { probeAll } from "../src/probe/probe-all.ts";
import { firstServerName } from "../src/probe/server-name.ts";
import { systemClock } from "../src/system/clock.ts";
import type { Invocation } from "./cli.ts";
import { type ExitStatus, exitStatus } from "./exit-status.ts";
import { countNameLookups, prepareNameLookups } from "./name-lookups.ts";
import { print, printIssues } from "./print.ts";
import { printChecksAsJson, printChecksAsTable } from "./print-checks.ts";
import { endOnceWritten } from "./shutdown.ts";

/** What one target's endpoints serve, compared with its volume. */
export interface TargetCheck {
  readonly name: string;
  readonly isGood: boolean;
  /** `undefined` where there is no volume. */
  readonly look: VolumeLook | undefined;
  readonly endpoints: readonly EndpointCheck[];
}

interface EndpointCheck {
  readonly endpoint: string;
  readonly verdict: Verdict;
  readonly result: ProbeResult;
}

/** `certhup check`: is the served certificate the one in the volume? One look at each. */
export async function check({ sources, issues }: Invocation): Promise<ExitStatus> {
  prepareNameLookups(countNameLookups(sources));
  const read = await readCheckConfig(sources);
  const wrong = [...issues, ...(read.kind === "issues" ? read.issues : [])];
  if (read.kind === "issues" || wrong.length > 0) {
    print.error(printIssues(wrong));
    return exitStatus.usage;
  }
  const { targets, output } = read.config;
  const checks = await Promise.all(targets.filter(({ endpoints }) => endpoints.length > 0).map(checkTarget));
  const unchecked = targets.filter(({ endpoints }) => endpoints.length === 0).map(({ name }) => name);
  const { wallMs } = systemClock.now();
  print.output(
    output === "json" ? printChecksAsJson(checks, unchecked, wallMs) : printChecksAsTable(checks, unchecked, wallMs),
  );
  const status = checks.every(({ isGood }) => isGood) ? exitStatus.good : exitStatus.problem;
  endOnceWritten(status);
  return status;
}

async function checkTarget(config: ServingConfig): Promise<TargetCheck> {
  const look = config.volume === undefined ? undefined : await createLooker(config, systemClock).look(undefined);
  const inVolume = look === undefined || look.kind === "missing" ? undefined : look.certificate;
  const endpoints = await checkEndpoints(config, inVolume);
  const wanted = look === undefined ? "valid" : "match";
  const isUsable = look === undefined || look.kind === "accepted";
  const isGood = isUsable && endpoints.every(({ verdict }) => verdict === wanted);
  return { name: config.name, isGood, look, endpoints };
}

async function checkEndpoints(
  config: ServingConfig,
  inVolume: CertificateFacts | undefined,
): Promise<readonly EndpointCheck[]> {
  const options = {
    limits: config.probeLimits,
    clock: systemClock,
    signal: new AbortController().signal,
    defaultServerName: firstServerName(inVolume?.names ?? []),
    preferKeyType: inVolume?.keyType,
    expectedChain: inVolume?.chain,
  };
  const results = await probeAll(config.endpoints, options);
  const { wallMs } = systemClock.now();
  return config.endpoints.flatMap(({ label }, position) => {
    const result = results[position];
    return result === undefined ? [] : [{ endpoint: label, verdict: judge(result, inVolume, wallMs), result }];
  });
}

function judge(result: ProbeResult, inVolume: CertificateFacts | undefined, wallMs: number): Verdict {
  if (result.kind === "unreachable") return "unreachable";
  return judgeAllServed(result.certificate, result.alsoServed ?? [], inVolume, [], wallMs).verdict;
}
