import { getDocumentProxy } from 'unpdf';

/** What a PDF reader makes of a PDF. */
export async function readPdf(bytes: Uint8Array) {
  // pdf.js keeps the bytes for itself.
  const document = await getDocumentProxy(Uint8Array.from(bytes));
  const { info } = await document.getMetadata();
  const pages = [];
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const texts = items.flatMap((item) => ('str' in item ? [item] : []));
    const [, , width = 0, height = 0] = page.view;
    const links = (await page.getAnnotations()).flatMap(({ url, unsafeUrl }) => url ?? unsafeUrl ?? []);
    pages.push({
      width: Math.round(width),
      height: Math.round(height),
      /** As a reader would copy it, without the places where lines break. */
      text: texts
        .map(({ str, hasEOL }) => str + (hasEOL ? ' ' : ''))
        .join('')
        .replace(/\s+/g, ' ')
        .trim(),
      /** Where each piece of text begins, from the left and from the bottom. */
      places: texts.map(({ str, transform }) => ({
        str,
        x: transform[4],
        y: transform[5],
        size: transform[0],
      })),
      links,
      operations: (await page.getOperatorList()).fnArray,
    });
  }
  return { info: info as Record<string, unknown>, pages, text: pages.map(({ text }) => text).join('\n') };
}
