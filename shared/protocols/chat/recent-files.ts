import type { ContentPart, Message } from '../../domain/conversations/message.ts';
import { allBytesMax, filesMax } from '../../execution/model-input/to-model-messages.ts';

const omitted = '(A file of an earlier message, which is left out)';

/** Keeps the newest files that a model takes: more would fail every later answer. The last message is left as it is. */
export function withRecentFiles(messages: readonly Message[]): Message[] {
  let [places, bytes] = [filesMax, allBytesMax];
  const fitting = (part: ContentPart): ContentPart => {
    if (part.type === 'text') return part;
    places--;
    bytes -= bytesOf(part.type === 'image' ? part.image : part.data);
    return places >= 0 && bytes >= 0 ? part : { type: 'text', text: omitted };
  };
  const newestFirst = messages.toReversed().map((message, index): Message => {
    const { content } = message;
    if (typeof content === 'string') return message;
    const parts = content.toReversed().map(fitting).toReversed();
    return index === 0 ? message : { ...message, content: parts };
  });
  return newestFirst.toReversed();
}

/** Visitors send files as base64. */
const bytesOf = (source: string) => (source.length * 3) / 4;
