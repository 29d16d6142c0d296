import { StepError } from '../../core/step-error.ts';

const charactersMax = 255;
const token = "[\\w!#$&^.+'*`|~-]+";
const mediaType = new RegExp(`^${token}/${token}(?:\\s*;\\s*${token}=(?:${token}|"[ !#-\\[\\]-~]*"))*$`);

const isMediaType = (text: string) => text.length <= charactersMax && mediaType.test(text);

/** A file's content type: the configured one, else the received one, else by the filename. @throws StepError */
export async function contentTypeOf(
  asked: string | undefined,
  sent: string | undefined,
  filename: string,
): Promise<string> {
  const wanted = asked?.trim();
  if (wanted !== undefined && !isMediaType(wanted)) {
    throw new StepError(
      `${JSON.stringify(wanted.slice(0, 100))} is not a content type; expected one like image/png`,
    );
  }
  if (wanted) return wanted;
  if (sent && isMediaType(sent)) return sent;
  const { default: mime } = await import('mime');
  return mime.getType(filename) ?? 'application/octet-stream';
}
