import { readdir, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { readRunConfig } from "../../../src/config/read-config.ts";
import { toFlagTexts } from "../../support/flag-texts.ts";
import { type Container, listExamples, readManifest, userOf } from "../../support/manifest.ts";

const examples = await Promise.all(
  (await listExamples()).map(async (path) => ({ path, ...(await readManifest(path)) })),
);
const signalling = new Set(["signal", "nginx", "restart"]);

async function configOf({ args = [] }: Container) {
  const read = await readRunConfig({ flags: toFlagTexts(args), environment: {} }, "pod-0");
  if (read.kind === "issues") throw new Error(JSON.stringify(read.issues));
  return read.config;
}

test("there is a recipe for each way to tell a server", async () => {
  const ladders = await Promise.all(
    examples.map(async ({ agent }) => (await configOf(agent)).targets[0]?.reload.ladder),
  );
  const strategies = new Set(ladders.flatMap((ladder) => ladder?.map(({ name }) => name)));
  expect([...strategies].sort()).toEqual(["exec", "exit", "http", "nginx", "restart", "signal"]);
});

describe.each(examples)("$path", ({ path, pod, agent, server, configMaps, mistakes }) => {
  test("is YAML without a mistake, and the agent accepts its flags", async () => {
    expect(mistakes).toEqual([]);
    expect(agent.args?.[0]).toBe("run");
    const sources = { flags: toFlagTexts(agent.args ?? []), environment: {} };
    expect(await readRunConfig(sources, "pod-0")).toMatchObject({ kind: "config", config: { targets: [{}] } });
  });

  test("mounts the Secret whole and read-only in both containers, where the agent looks for it", async () => {
    expect(await readFile(`${path}/deployment.yaml`, "utf8")).not.toMatch(/^\s*-?\s*subPath(Expr)?:/m);
    const secret = pod.volumes.find((volume) => volume.secret !== undefined);
    const [target] = (await configOf(agent)).targets;
    for (const { volumeMounts } of [agent, server]) {
      expect(volumeMounts.find(({ name }) => name === secret?.name)).toEqual({
        name: secret?.name,
        mountPath: target?.volume?.directory,
        readOnly: true,
      });
    }
  });

  test("mounts nothing that the pod doesn't have, and every volume of the pod", () => {
    const mounted = [agent, server].flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name));
    expect(new Set(mounted)).toEqual(new Set(pod.volumes.map(({ name }) => name)));
    const named = pod.volumes.flatMap(({ configMap }) => (configMap === undefined ? [] : [configMap.name]));
    expect(named.sort()).toEqual([...configMaps.keys()].sort());
  });

  test("shares processes where, and only where, the agent signals one", async () => {
    const [target] = (await configOf(agent)).targets;
    const signals = target?.reload.ladder.some(({ name }) => signalling.has(name));
    expect(pod.shareProcessNamespace === true).toBe(signals);
  });

  test("runs both containers as one user, which is not root and whose group has the Secret", () => {
    const { runAsUser = 0, fsGroup, runAsNonRoot, seccompProfile } = pod.securityContext;
    expect([agent, server].map((container) => userOf(container, pod))).toEqual(
      Array.from({ length: 2 }, () => `${fsGroup}:${fsGroup}`),
    );
    expect(runAsUser).toBeGreaterThan(0);
    expect({ runAsNonRoot, seccompProfile }).toEqual({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
  });

  test("fits the pod security level restricted, with a read-only root", () => {
    for (const { securityContext } of [agent, server]) {
      expect(securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
    }
    expect(agent.securityContext?.capabilities?.add).toBeUndefined();
    // The only one that the level allows.
    expect(["NET_BIND_SERVICE"]).toEqual(
      expect.arrayContaining([...(server.securityContext?.capabilities?.add ?? [])]),
    );
  });

  test("has the agent as a native sidecar with a probe on each of its pages", async () => {
    expect(pod.initContainers).toEqual([agent]);
    expect(agent.restartPolicy).toBe("Always");
    expect(agent.ports).toEqual([{ name: "certhup", containerPort: (await configOf(agent)).listenAddress.port }]);
    const { startupProbe, readinessProbe, livenessProbe } = agent;
    expect([startupProbe, readinessProbe, livenessProbe].map((probe) => probe?.httpGet)).toEqual([
      { path: "/startupz", port: "certhup" },
      { path: "/readyz", port: "certhup" },
      { path: "/livez", port: "certhup" },
    ]);
  });

  test("looks at the port where the server serves", async () => {
    const [target] = (await configOf(agent)).targets;
    expect(target?.endpoints.map(({ host, port }) => ({ host, port }))).toEqual([
      { host: "127.0.0.1", port: server.ports?.[0]?.containerPort },
    ]);
  });

  test("has a rule for the status that the agent ends with, where it ends itself", async () => {
    const [target] = (await configOf(agent)).targets;
    const statuses = target?.reload.ladder.flatMap((rung) => (rung.name === "exit" ? [rung.status] : [])) ?? [];
    const rules = statuses.map((status) => ({
      action: "RestartAllContainers",
      exitCodes: { operator: "In", values: [status] },
    }));
    expect(agent.restartPolicyRules ?? []).toEqual(rules);
  });

  test("runs only scripts that it brings along, with the Node of the agent's image", async () => {
    const [target] = (await configOf(agent)).targets;
    const commands = target?.reload.ladder.flatMap((rung) => (rung.name === "exec" ? [rung.command] : [])) ?? [];
    for (const [program, script] of commands) {
      expect(program).toBe("/nodejs/bin/node");
      const mount = agent.volumeMounts.find(({ mountPath }) => script?.startsWith(`${mountPath}/`));
      const { configMap } = pod.volumes.find(({ name }) => name === mount?.name) ?? {};
      expect(Object.keys(configMaps.get(configMap?.name ?? "") ?? {})).toContain(script?.split("/").at(-1));
    }
  });

  test("has a README of one screen that tells how to apply it and which test runs it", async () => {
    const readme = await readFile(`${path}/README.md`, "utf8");
    expect(readme).toContain(`kubectl apply -k ${path}`);
    const [, proof] = /^`(test\/pods\/\S+\.test\.ts)` rotates/m.exec(readme) ?? [];
    expect(await readFile(proof ?? "no test is named", "utf8")).toContain(`"${path}"`);
    expect(readme.split("\n").length).toBeLessThanOrEqual(50);
  });
});

test("the list of examples has every folder, and no other", async () => {
  const readme = await readFile("examples/README.md", "utf8");
  const named = [...readme.matchAll(/\]\(([a-z-]+)\)/g)].map(([, folder]) => folder);
  const entries = await readdir("examples", { withFileTypes: true });
  expect(named.sort()).toEqual(entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort());
});
