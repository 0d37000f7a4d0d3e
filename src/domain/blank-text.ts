// White space in any script, characters that are never drawn (zero-width spaces and joiners, fillers, variation
// selectors), and the empty Braille pattern, which is drawn as nothing.
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]*$/u;

/** Nobody could see it on a screen or tell it from another one. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}
