import type { ReactNode } from 'react';
import { runTexts } from '../../../texts/runs.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { CopyButton } from '../../../ui/forms/copy-button.tsx';
import { Value } from '../../../ui/values/value.tsx';
import type { RunDetails } from '../data/run-details.ts';
import { Messages } from './messages.tsx';
import { messagesGiven } from './span-content.ts';

/** What a run was given, what came of it, and why it failed. */
export const RunContents = ({ run: { error, input, output, outputUrl } }: { run: RunDetails }) => (
  <div className="contents">
    {error && (
      <ContentSection title={sharedTexts.error}>
        <ErrorBox code={error.code} message={error.message} />
      </ContentSection>
    )}
    <ContentSection title={sharedTexts.input}>
      <Input of={input} />
    </ContentSection>
    <ContentSection title={sharedTexts.output}>
      {outputUrl ? (
        <a href={outputUrl} className="button" download>
          {runTexts.downloadOutput}
        </a>
      ) : output === null ? (
        <p className="help">{sharedTexts.none}</p>
      ) : (
        <Value of={output} label={sharedTexts.output} />
      )}
    </ContentSection>
  </div>
);

function Input({ of }: { of: unknown }) {
  if (of === null) return <p className="help">{runTexts.notStored}</p>;
  const messages = messagesGiven(of);
  if (!messages) return <Value of={of} label={sharedTexts.input} />;
  return (
    <>
      <Messages of={messages} />
      <CopyButton text={JSON.stringify(of, undefined, 2)} label={runTexts.copyInput} />
    </>
  );
}

export const ErrorBox = ({ code, message }: { code: string; message?: string | undefined }) => (
  <div className="failure">
    <code>{code}</code>
    {message && (
      <p>
        <bdi>{message}</bdi>
      </p>
    )}
  </div>
);

export const ContentSection = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title}>
    <h3>{title}</h3>
    {children}
  </section>
);
