import type { Message, Part } from '@a2a-js/sdk';
import { StepError } from '../../core/errors/step-error.ts';
import { unmarkNumbers } from '../../core/json/exact-json.ts';
import { isDeeperThan, nestingLevelsMax } from '../../core/json/nesting.ts';
import type { A2aPart } from '../ports/a2a-port.ts';

/** The parts of a message or an artifact, without empty ones. @throws StepError */
export const a2aParts = (parts: readonly Part[]): A2aPart[] => parts.flatMap((part) => fromPart(part) ?? []);

function fromPart({ content, mediaType, filename }: Part): A2aPart | undefined {
  switch (content?.$case) {
    case 'text':
      return { text: String(content.value) };
    case 'url':
      return { url: String(content.value), mediaType, filename };
    case 'raw':
      return { bytes: Buffer.from(content.value).toString('base64'), mediaType, filename };
    case 'data':
      if (isDeeperThan(nestingLevelsMax, content.value)) {
        throw new StepError(`The agent's data is nested more than ${nestingLevelsMax} levels deep`);
      }
      return { data: unmarkNumbers(content.value) };
    default:
      return undefined;
  }
}

export function toPart(part: A2aPart): Part {
  const { mediaType = '', filename = '' } = 'mediaType' in part ? part : {};
  return { content: toContent(part), metadata: undefined, mediaType, filename };
}

function toContent(part: A2aPart): Part['content'] {
  if ('text' in part) return { $case: 'text', value: part.text };
  if ('data' in part) return { $case: 'data', value: part.data };
  if ('url' in part) return { $case: 'url', value: part.url };
  return { $case: 'raw', value: Buffer.from(part.bytes, 'base64') };
}

export const joinTextParts = (parts: readonly A2aPart[]) =>
  parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('');

export const textOfMessage = (message: Message | undefined) => joinTextParts(a2aParts(message?.parts ?? []));
