import { decodeBase64 } from '../../adapters/assets/base64.ts';
import { type ErrorDetail, invalid, invalidAt } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { filesMax } from '../../execution/model-calls/to-model-messages.ts';
import type { ChatMessage } from './chat-message.ts';

/** @throws 400 for each file of a message that is not in it, and for more files than a model takes. @param index The place of the message in the request. */
export function assertAttached({ content }: ChatMessage, index: number): void {
  if (typeof content === 'string') return;
  const problems = content.flatMap((part, place): ErrorDetail[] => {
    if (part.type !== 'image' && part.type !== 'file') return [];
    const member = part.type === 'image' ? 'image' : 'data';
    const message = findFileProblem(part.type === 'image' ? part.image : part.data, part.mimeType);
    const path = `messages.${index}.content.${place}.${member}`;
    return message === undefined ? [] : [{ path, code: 'INVALID_FORMAT', message }];
  });
  if (problems.length > 0) throw invalid(problems);
  const count = content.filter(({ type }) => type === 'image' || type === 'file').length;
  if (count > filesMax) {
    const message = `A message has at most ${filesMax} images and files`;
    throw invalidAt(`messages.${index}.content`, 'TOO_BIG', message);
  }
}

function findFileProblem(source: string, mimeType: string | undefined): string | undefined {
  if (/^\s*[a-z][a-z0-9+.-]*:/i.test(source) && !/^\s*data:/i.test(source)) {
    // D83
    return 'Attach the file itself as a data: URL. URLs of other kinds are not fetched';
  }
  try {
    const { bytes, type } = decodeBase64(source);
    if (bytes.length === 0) return 'The file is empty';
    return type || mimeType
      ? undefined
      : 'The file has no media type. Send a data: URL that has one, or mimeType';
  } catch (error) {
    if (error instanceof StepError) return 'Expected a data: URL in base64, or base64 text';
    throw error;
  }
}
