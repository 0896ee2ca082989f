import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readRunConfig } from "../../../src/config/read-config.ts";
import { toFlagTexts } from "../../support/flag-texts.ts";
import { type Container, readManifest } from "../../support/manifest.ts";

const manifests = ["deployment", "configmap", "service"].map((name) => `examples/nginx/${name}.yaml`);
const { pod, agent: certhup, server: nginx, configMaps, mistakes } = await readManifest("examples/nginx");
const [[configMap, { "nginx.conf": nginxConfiguration = "" }] = ["", {}]] = configMaps;

async function configOf(container: Container) {
  const environment = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value]));
  const read = await readRunConfig({ flags: toFlagTexts(container.args ?? []), environment }, "pod-0");
  if (read.kind === "issues") throw new Error(JSON.stringify(read.issues));
  return read.config;
}

test("the manifests are YAML without a mistake", () => {
  expect(mistakes).toEqual([]);
});

test("the agent accepts the flags of the sidecar", async () => {
  expect(certhup.args?.[0]).toBe("run");
  const sources = { flags: toFlagTexts(certhup.args ?? []), environment: {} };
  expect(await readRunConfig(sources, "pod-0")).toMatchObject({ kind: "config" });
});

test("no mount is a subPath mount", async () => {
  const texts = await Promise.all(manifests.map((path) => readFile(path, "utf8")));
  expect(texts.filter((text) => /^\s*-?\s*subPath(Expr)?:/m.test(text))).toEqual([]);
});

test("both containers mount the same Secret whole and read-only, where the agent and nginx look for it", async () => {
  const secret = pod.volumes.find((volume) => volume.secret !== undefined);
  const mountOf = ({ volumeMounts }: Container) => volumeMounts.find(({ name }) => name === secret?.name);
  const [target] = (await configOf(certhup)).targets;
  expect(mountOf(certhup)).toMatchObject({ mountPath: target?.volume?.directory, readOnly: true });
  const directory = mountOf(nginx)?.mountPath;
  expect(nginxConfiguration).toContain(`ssl_certificate ${directory}/${target?.volume?.certificateFile};`);
  expect(nginxConfiguration).toContain(`ssl_certificate_key ${directory}/${target?.volume?.keyFile};`);
});

test("the processes are shared, and both containers run as the same user, which is not root", () => {
  expect(pod.shareProcessNamespace).toBe(true);
  const users = [certhup, nginx].map(
    (container) => container.securityContext?.runAsUser ?? pod.securityContext.runAsUser,
  );
  expect(users).toEqual([pod.securityContext.fsGroup, pod.securityContext.fsGroup]);
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
  expect(pod.securityContext.runAsUser).toBeGreaterThan(0);
});

test.each([certhup, nginx])("the container $name fits the pod security level restricted", ({ securityContext }) => {
  expect(securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
});

test("the agent is a native sidecar", () => {
  expect(pod.initContainers?.map(({ name, restartPolicy }) => ({ name, restartPolicy }))).toEqual([
    { name: "certhup", restartPolicy: "Always" },
  ]);
  expect(pod.containers.map(({ name }) => name)).toEqual(["nginx"]);
});

test("each probe of the agent asks the page that is made for it, on the port where the agent listens", async () => {
  const { listenAddress } = await configOf(certhup);
  expect(certhup.ports).toEqual([{ name: "certhup", containerPort: listenAddress.port }]);
  const { startupProbe, readinessProbe, livenessProbe } = certhup;
  expect([startupProbe, readinessProbe, livenessProbe].map((probe) => probe?.httpGet)).toEqual([
    { path: "/startupz", port: "certhup" },
    { path: "/readyz", port: "certhup" },
    { path: "/livez", port: "certhup" },
  ]);
});

test("the agent looks at the port where nginx serves, and the Service leads there", async () => {
  const [target] = (await configOf(certhup)).targets;
  const [https] = nginx.ports ?? [];
  expect(target?.policy.endpoints).toEqual([`127.0.0.1:${https?.containerPort}`]);
  expect(nginxConfiguration).toContain(`listen ${https?.containerPort} ssl;`);
  const service = parse(await readFile("examples/nginx/service.yaml", "utf8"));
  expect(service.spec.ports).toEqual([{ name: "https", port: 443, targetPort: https?.name }]);
});

test("nginx is started with the configuration of the ConfigMap", () => {
  const volume = pod.volumes.find(({ configMap: source }) => source?.name === configMap);
  const mount = nginx.volumeMounts.find(({ name }) => name === volume?.name);
  expect(nginx.command).toContain(`${mount?.mountPath}/nginx.conf`);
});
