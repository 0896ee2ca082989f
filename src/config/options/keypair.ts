import { list, type Option, single } from "../option.ts";
import { parseDuration, parseSwitch, parseText } from "../parsers.ts";

const group = "Keypair rules";

export const minValidity: Option<number> = single(
  {
    key: "minValidity",
    placeholder: "TIME",
    group,
    fallback: "0s",
    description: "refuse a certificate that is valid for less than this",
  },
  parseDuration,
);
export const requireName: Option<readonly string[]> = list(
  {
    key: "requireName",
    placeholder: "NAME",
    group,
    description: "refuse a certificate that does not cover this name (repeatable)",
  },
  parseText,
);
export const allowExpired: Option<boolean> = single(
  { key: "allowExpired", placeholder: "", group, fallback: "false", description: "accept an expired certificate" },
  parseSwitch,
);

export const allowWeak: Option<boolean> = single(
  {
    key: "allowWeak",
    placeholder: "",
    group,
    fallback: "false",
    description: "accept keys and digests below OpenSSL's security level 2",
  },
  parseSwitch,
);
export const requireTrust: Option<boolean> = single(
  {
    key: "requireTrust",
    placeholder: "",
    group,
    fallback: "false",
    description: "refuse a certificate that does not verify against the CA file",
  },
  parseSwitch,
);
export const clockSkew: Option<number> = single(
  {
    key: "clockSkew",
    placeholder: "TIME",
    group,
    fallback: "5m",
    description: "hold a certificate that begins within this time until it does; refuse one that begins later",
  },
  parseDuration,
);
export const keyPassphraseFile: Option<string> = single(
  { key: "keyPassphraseFile", placeholder: "PATH", group, description: "file with the passphrase of the key" },
  parseText,
);

/** The options of this group, in the order of the help. */
export const keypairOptions: readonly Option<unknown>[] = [
  minValidity,
  requireName,
  requireTrust,
  allowExpired,
  allowWeak,
  clockSkew,
  keyPassphraseFile,
];
