/** What a file without any PEM block seems to be, and what to do about it. */
export interface FileShape {
  readonly description: string;
  readonly hint: string;
}

const magics: ReadonlyArray<readonly [magic: readonly number[], shape: FileShape]> = [
  [[0xfe, 0xed, 0xfe, 0xed], keystore("a Java keystore (JKS)")],
  [[0xce, 0xce, 0xce, 0xce], keystore("a Java keystore (JCEKS)")],
  [[0xff, 0xfe], { description: "UTF-16 text", hint: "save the file as UTF-8 without a byte order mark" }],
  [[0xfe, 0xff], { description: "UTF-16 text", hint: "save the file as UTF-8 without a byte order mark" }],
  [[0x1f, 0x8b], { description: "gzip data", hint: "unpack the file before it is put in the volume" }],
];

/** Names what a file is that holds no PEM block. Looks at the first bytes only. */
export function recognizeFile(file: Uint8Array): FileShape {
  const magic = magics.find(([bytes]) => bytes.every((byte, index) => file[index] === byte));
  if (magic !== undefined) {
    return magic[1];
  }
  if (file[0] === 0x30) {
    return recognizeDer(file);
  }
  const text = Buffer.from(file.buffer, file.byteOffset, Math.min(file.byteLength, 4096)).toString("latin1").trim();
  if (/^LS0tLS1CRUdJTi/.test(text)) {
    return {
      description: "a PEM file encoded in base64 once more",
      hint: "decode it once; in a Secret put PEM text under stringData, or base64 of it under data, not both",
    };
  }
  if (text.includes("-----BEGIN ") && text.includes("\\n")) {
    return {
      description: 'text with the two characters "\\n" where line breaks should be',
      hint: "turn them into real line breaks, for example with printf '%b'",
    };
  }
  if (text.includes("-----BEGIN ") && text.includes("\r")) {
    return { description: "text whose lines end in CR alone", hint: "turn the line ends into LF" };
  }
  if (text.includes("-----BEGIN ")) {
    return { description: "text whose begin line is damaged or indented", hint: "write the PEM text as it was issued" };
  }
  return { description: "nothing known", hint: "put the certificate and the key in as PEM" };
}

function recognizeDer(file: Uint8Array): FileShape {
  const lengthByte = file[1] ?? 0;
  const content = 2 + (lengthByte > 0x80 ? lengthByte - 0x80 : 0);
  const isVersion = file[content] === 0x02 && file[content + 1] === 0x01;
  if (isVersion && file[content + 2] === 0x03) {
    return keystore("PKCS#12");
  }
  if (isVersion) {
    return { description: "a private key in DER", hint: "turn it into PEM: openssl pkey -inform der -in FILE" };
  }
  return { description: "DER", hint: "turn it into PEM: openssl x509 -inform der -in FILE" };
}

function keystore(description: string): FileShape {
  return {
    description,
    hint: "watch the PEM files of the same Secret instead, or take them out with keytool or openssl pkcs12",
  };
}
