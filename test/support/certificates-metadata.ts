/**
 * The part of the "reflect-metadata" proposal that @peculiar/x509's dependency container asks for. Must be imported
 * before @peculiar/x509.
 */
const store = new WeakMap<object, Map<string, unknown>>();

function getOwnMetadata(key: string, target: object): unknown {
  return store.get(target)?.get(key);
}

function defineMetadata(key: string, value: unknown, target: object): void {
  const entries = store.get(target) ?? new Map<string, unknown>();
  entries.set(key, value);
  store.set(target, entries);
}

if (!("getMetadata" in Reflect)) {
  Object.assign(Reflect, { getMetadata: getOwnMetadata, getOwnMetadata, defineMetadata });
}
