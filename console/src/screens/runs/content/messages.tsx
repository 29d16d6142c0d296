import { Value } from '../../../ui/values/value.tsx';
import type { SpanMessage, SpanMessagePart } from './span-content.ts';
import '../../../style/messages.css';

const longText = 20_000;

/** The messages that a model got or sent, in their order. */
export const Messages = ({ of }: { of: readonly SpanMessage[] }) => (
  <ol className="messages">
    {of.map(({ role, parts }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: messages never change their place
      <li key={index} className={`message ${role}`}>
        <p className="label">{role}</p>
        {parts.map((part, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: nor do their parts
          <MessagePart key={place} part={part} />
        ))}
      </li>
    ))}
  </ol>
);

function MessagePart({ part }: { part: SpanMessagePart }) {
  const { type, content, ...rest } = part;
  if (type === 'text' && typeof content === 'string' && content.length <= longText) {
    return (
      <p className="message-text" dir="auto">
        {content}
      </p>
    );
  }
  return (
    <>
      <p className="help">{type.replaceAll('_', ' ')}</p>
      <Value of={content ?? rest} label={type} />
    </>
  );
}
