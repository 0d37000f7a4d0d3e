// White space in any script, invisible characters (zero-width spaces and joiners, fillers, variation selectors), and
// the empty Braille pattern, which is drawn as nothing.
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]*$/u;

/** Whether the text would be invisible on a screen. */
export function isBlank(text: string): boolean {
  const first = text.charCodeAt(0);
  return !(first > 0x20 && first < 0x7f) && BLANK.test(text);
}
