import { type Option, single } from "../option.ts";
import { parseDuration, parseDurationFrom, parseSize, parseText } from "../parsers.ts";

const group = "Volume";

export const certDir: Option<string> = single(
  { key: "certDir", placeholder: "DIR", group, description: "directory of the Secret volume" },
  parseText,
);
export const certFile: Option<string> = single(
  { key: "certFile", placeholder: "NAME", group, fallback: "tls.crt", description: "certificate chain, leaf first" },
  parseText,
);
export const keyFile: Option<string> = single(
  {
    key: "keyFile",
    placeholder: "NAME",
    group,
    fallback: "tls.key",
    description: 'private key, or "none" if the agent may not read it (the pair is then not checked)',
  },
  parseText,
);
export const bundleFile: Option<string> = single(
  {
    key: "bundleFile",
    placeholder: "NAME",
    group,
    description: "one file with key and chain, in any order, instead of certificate and key files",
  },
  parseText,
);
export const caFile: Option<string> = single(
  {
    key: "caFile",
    placeholder: "NAME",
    group,
    fallback: "ca.crt",
    description: "CA certificates; may be absent",
  },
  parseText,
);
export const watchInterval: Option<number> = single(
  {
    key: "watchInterval",
    placeholder: "TIME",
    group,
    fallback: "10s",
    description: "how often to look at the volume even if no event came",
  },
  parseDurationFrom(100),
);
export const delayInterval: Option<number> = single(
  {
    key: "delayInterval",
    placeholder: "TIME",
    group,
    fallback: "500ms",
    description: "how long plain files must rest before they are taken up; a kubelet swap is taken up at once",
  },
  parseDuration,
);
export const writeGrace: Option<number> = single(
  {
    key: "writeGrace",
    placeholder: "TIME",
    group,
    fallback: "10s",
    description: "how long half-written or unreadable files are waited out before they are called wrong",
  },
  parseDuration,
);

export const maxFileSize: Option<number> = single(
  { key: "maxFileSize", placeholder: "SIZE", group, fallback: "1MiB", description: "a larger file is refused unread" },
  parseSize,
);

/** The options of this group that a target has of its own, in the order of the help. */
export const volumeOptions: readonly Option<unknown>[] = [
  certDir,
  certFile,
  keyFile,
  bundleFile,
  caFile,
  delayInterval,
  writeGrace,
  maxFileSize,
];
