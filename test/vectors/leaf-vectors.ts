import type { IssueOptions } from "../support/certificates.ts";
import type { Vector, VectorKit } from "./vector.ts";
import { vectorNowMs } from "./vector.ts";

function issued(
  name: string,
  options: Partial<IssueOptions>,
  codes: readonly string[],
  verdict: Vector["verdict"] = "accepted",
): Vector {
  return { name, make: (kit: VectorKit) => kit.issue({ names: ["a.example"], ...options }), verdict, codes };
}

/** A self-signed leaf with extensions that openssl writes. */
function extended(
  name: string,
  extensions: readonly string[],
  codes: readonly string[],
  verdict: Vector["verdict"] = "accepted",
): Vector {
  const make: Vector["make"] = ({ openssl, selfSign }) => {
    const key = openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1"]);
    return {
      certificate: selfSign(
        key,
        extensions.flatMap((extension) => ["-addext", extension]),
      ),
      key,
    };
  };
  return { name, make, verdict, codes };
}

function after(seconds: number): Date {
  return new Date(vectorNowMs + seconds * 1000);
}

const clientAuth = "1.3.6.1.5.5.7.3.2";
const anyUsage = "2.5.29.37.0";

/** Dates, names, usages and strength of the leaf. */
export const leafVectors: readonly Vector[] = [
  issued("leaf-expired", { notAfter: after(-1) }, ["expired"], "refused"),
  issued("leaf-ends-in-a-minute", { notAfter: after(60) }, []),
  issued("leaf-begins-in-20-seconds", { notBefore: after(20) }, ["held-until-valid"], "held"),
  issued("leaf-begins-in-an-hour", { notBefore: after(3600) }, ["not-yet-valid"], "refused"),
  issued("leaf-year-9999", { notAfter: new Date(Date.UTC(9999, 11, 31, 23, 59, 59)) }, []),
  issued("leaf-no-names", { names: [], commonName: "a.example" }, ["no-names"]),
  issued("leaf-addresses", { names: ["192.0.2.1", "2001:db8::1"] }, []),
  issued("leaf-wildcard", { names: ["*.a.example"] }, []),
  issued("leaf-hundred-names", { names: Array.from({ length: 100 }, (_, index) => `n${index}.a.example`) }, []),
  issued("leaf-hostile-names", { names: ['a.example, DNS:b.example"', "line\nbreak", "\u202egnp.exe"] }, []),
  issued("leaf-hostile-subject", { commonName: "\u001b[31mred\u001b[0m\n, CN=b" }, []),
  issued("leaf-client-only", { extendedKeyUsages: [clientAuth] }, ["no-server-auth"]),
  issued("leaf-any-usage", { extendedKeyUsages: [anyUsage] }, []),
  issued("leaf-no-extended-usage", { extendedKeyUsages: [] }, []),
  issued("leaf-self-signed", { selfSigned: true }, []),
  issued("leaf-sha1", { digest: "SHA-1" }, ["weak-digest"], "refused"),
  issued("leaf-sha512", { digest: "SHA-512" }, []),
  issued("leaf-self-signed-sha1", { selfSigned: true, digest: "SHA-1" }, []),
  extended("leaf-is-authority", ["basicConstraints=critical,CA:TRUE"], ["leaf-is-authority"]),
  extended("leaf-no-digital-signature", ["keyUsage=critical,keyAgreement"], []),
  extended("leaf-unknown-critical-extension", ["1.2.3.4=critical,DER:0500"], []),
  extended("leaf-must-staple", ["tlsfeature=status_request"], []),
  extended("leaf-lone-with-issuer-address", ["authorityInfoAccess=caIssuers;URI:http://ca.example/ca.crt"], []),
];
