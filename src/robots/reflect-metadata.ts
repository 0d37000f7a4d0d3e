// The certificate library depends on tsyringe, which refuses to load without a `reflect-metadata` polyfill and then
// only reads metadata that TypeScript's decorators would have written. No decorators are used here, so always answering
// "no metadata" is correct. Must be imported before '@peculiar/x509'.

const absent = (): undefined => undefined;

if (!('getMetadata' in Reflect)) {
  Object.assign(Reflect, { getMetadata: absent, getOwnMetadata: absent, defineMetadata: absent });
}
