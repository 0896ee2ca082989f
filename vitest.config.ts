import { defineConfig, type TestProjectInlineConfiguration, type ViteUserConfig } from "vitest/config";

function project(name: string, test: TestProjectInlineConfiguration["test"] = {}): TestProjectInlineConfiguration {
  return { extends: true, test: { name, include: [`test/${name}/**/*.test.ts`], ...test } };
}

const config: ViteUserConfig = defineConfig({
  test: {
    environment: "node",
    pool: "forks",
    maxWorkers: 2,
    projects: [
      // More than a condition is waited for, so that a failure says which one it was.
      project("unit", { testTimeout: 20_000 }),
      project("property", { testTimeout: 60_000 }),
      project("process", { testTimeout: 60_000, hookTimeout: 60_000 }),
      project("pods", {
        testTimeout: 180_000,
        hookTimeout: 180_000,
        globalSetup: ["test/pods/global-setup.ts"],
        fileParallelism: false,
      }),
    ],
  },
});

export default config;
