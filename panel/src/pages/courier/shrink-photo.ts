// Phone photos have megabytes; a face shown at the counter needs far less.

const EDGE_PX = 480;
const QUALITY = 0.85;

/** Crops the center to a small square JPEG in base64. Throws when the browser cannot read the file. */
export async function shrinkPhoto(file: Blob): Promise<string> {
  const picture = await createImageBitmap(file);
  const edge = Math.min(picture.width, picture.height);
  const canvas = document.createElement('canvas');
  canvas.width = EDGE_PX;
  canvas.height = EDGE_PX;
  const left = (picture.width - edge) / 2;
  const top = (picture.height - edge) / 2;
  canvas.getContext('2d')?.drawImage(picture, left, top, edge, edge, 0, 0, EDGE_PX, EDGE_PX);
  picture.close();
  const address = canvas.toDataURL('image/jpeg', QUALITY);
  return address.slice(address.indexOf(',') + 1);
}
