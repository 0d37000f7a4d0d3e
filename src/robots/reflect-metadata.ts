// The certificate library depends on tsyringe, which refuses to load without a `reflect-metadata` polyfill and then
// asks it only for metadata that TypeScript's decorators would have written. It uses none, so "there is no metadata"
// is the whole truth. Must be imported before '@peculiar/x509'.

const absent = (): undefined => undefined;

if (!('getMetadata' in Reflect)) {
  Object.assign(Reflect, { getMetadata: absent, getOwnMetadata: absent, defineMetadata: absent });
}
