import { StepError } from '../../core/errors/step-error.ts';
import { wholeOrLength } from '../../core/text.ts';

const charactersMax = 255;
const token = "[\\w!#$&^.+'*`|~-]+";
const mediaType = new RegExp(`^${token}/${token}(?:\\s*;\\s*${token}=(?:${token}|"[ !#-\\[\\]-~]*"))*$`);

const isMediaType = (text: string) => text.length <= charactersMax && mediaType.test(text);

/** The configured one, else the received or the usual one. @throws StepError if the configured one is invalid. */
export async function chooseContentType(
  configured: string | undefined,
  received: string | undefined,
  filename: string,
): Promise<string> {
  const contentType = configured?.trim();
  if (contentType !== undefined && !isMediaType(contentType)) {
    throw new StepError(
      `${JSON.stringify(wholeOrLength(contentType, 100))} is not a content type; expected one like image/png`,
    );
  }
  if (contentType) return contentType;
  if (received && isMediaType(received)) return received;
  const { default: mime } = await import('mime');
  return mime.getType(filename) ?? 'application/octet-stream';
}
