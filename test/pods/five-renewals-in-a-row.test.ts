import { expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { startPod } from "../support/pod.ts";

test("five renewals in a row, two of them within a second, end with the fifth one served", async () => {
  const authority = createAuthority();
  const issue = () => authority.issue({ names: ["pod.example"] });
  const pod = await startPod();
  await pod.publish(await issue());
  await pod.startNginx();
  // A poll this rare leaves only the watch to notice the swaps.
  await pod.startAgent({ "watch-interval": "1h" });
  await pod.untilState("in-sync");

  for (const renewed of [await issue(), await issue()]) {
    await pod.publish(renewed);
    await pod.untilServed(renewed);
    await pod.untilConfirmed(renewed);
  }

  const [third, fourth] = [await issue(), await issue()];
  const startMs = performance.now();
  await pod.publish(third);
  await pod.publish(fourth);
  expect(performance.now() - startMs).toBeLessThan(1000);
  await pod.untilServed(fourth);
  await pod.untilConfirmed(fourth);

  const fifth = await issue();
  await pod.publish(fifth);
  await pod.untilServed(fifth);
  const target = await pod.untilConfirmed(fifth);

  expect(target.readiness).toMatchObject({ ready: true, state: "in-sync" });
  const outcomes = target.rotations.map(({ outcome }) => outcome);
  expect(outcomes.filter((outcome) => outcome === "confirmed").length).toBeGreaterThanOrEqual(4);
  // The third one may have been overtaken by the fourth before it was served.
  expect(outcomes.filter((outcome) => outcome !== "confirmed" && outcome !== "superseded")).toEqual([]);
  expect(await pod.ask("/readyz")).toMatchObject({ status: 200 });
  expect(await pod.samples("certhup_served_matches_volume")).toMatchObject([{ value: 1 }]);
  expect(await pod.shakeHands()).toEqual({ fingerprint: fifth.fingerprint });
});
