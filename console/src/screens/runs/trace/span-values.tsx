import { runTexts } from '../../../texts/runs.ts';
import { CopyButton } from '../../../ui/forms/copy-button.tsx';
import { Value } from '../../../ui/values/value.tsx';
import { Messages } from '../content/messages.tsx';
import { ContentSection } from '../content/run-content.tsx';
import { otherAttributes, spanMessages } from '../content/span-content.ts';
import type { Span } from './span-tree.ts';

/** What went in or came out: messages, or a value of any kind. */
export function SpanValue({ title, value }: { title: string; value: unknown }) {
  const messages = spanMessages(value);
  return (
    <ContentSection title={title}>
      {messages ? (
        <>
          <Messages of={messages} />
          <CopyButton text={JSON.stringify(value, undefined, 2)} label={runTexts.copyContent(title)} />
        </>
      ) : (
        <Value of={value} label={title} />
      )}
    </ContentSection>
  );
}

/** All else that is known of a span. */
export function SpanAttributes({ span }: { span: Span }) {
  const rest = otherAttributes(span.attributes);
  return (
    <details>
      <summary>{runTexts.attributes}</summary>
      <dl className="attributes">
        {rest.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
      <CopyButton text={JSON.stringify(span, undefined, 2)} label={runTexts.copySpanAsJson} />
    </details>
  );
}
