import { playgroundTexts } from '../../../texts/playground.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Segments } from '../../../ui/forms/segments.tsx';
import { Link } from '../../../ui/link.tsx';
import { Empty } from '../../../ui/loading/loaded.tsx';
import { EditFresh } from '../../../ui/resource/edit-fresh.tsx';
import { useAgent } from '../parts/agent-page.tsx';
import { DraftConfig, PublishedConfig } from './playground-config.tsx';
import { type AnswerOptions, PlaygroundOptions } from './playground-options.tsx';

const versions = [
  { value: 'draft', label: sharedTexts.draft },
  { value: 'published', label: sharedTexts.publishedVersion },
] as const;

interface Props {
  agentId: string;
  options: AnswerOptions;
  onChange: (options: AnswerOptions) => void;
  /** Of the draft. */
  isChanged: boolean;
  onChanged: (isChanged: boolean) => void;
}

/** What the next answers are made with: which version, and what it is. */
export function PlaygroundSettings({ agentId, options, onChange, isChanged, onChanged }: Props) {
  const { agent } = useAgent();
  const { version } = options;
  const isNative = agent.data?.agentType === 'native';
  const isPublished = agent.data?.publishedVersionId != null;
  return (
    <section className="card agents-config" aria-label={playgroundTexts.configuration}>
      <div className="agents-chat-head">
        <h2>{playgroundTexts.configuration}</h2>
        <Segments
          label={playgroundTexts.versionThatRuns}
          value={version}
          options={versions}
          onChange={(next) => onChange({ ...options, version: next })}
        />
      </div>
      <p className={isChanged && version === 'draft' ? 'note' : 'help'} role="status">
        {version === 'published'
          ? playgroundTexts.runsPublishedVersion
          : isChanged
            ? playgroundTexts.runsSavedDraft
            : playgroundTexts.runsDraft}
      </p>
      {/* Stays in the page, with its edits, while the other version is shown. */}
      <div hidden={version !== 'draft'}>
        {isNative && (
          <EditFresh key={agentId} operation="agents.get" request={{ params: { id: agentId } }}>
            {(begun) => <DraftConfig begun={begun} onChanged={onChanged} />}
          </EditFresh>
        )}
        {agent.data && !isNative && (
          <p>
            {playgroundTexts.runsOnAnotherServer((text) => (
              <Link to={`/agents/${agentId}`}>{text}</Link>
            ))}
          </p>
        )}
      </div>
      {version === 'published' &&
        (isPublished ? (
          <PublishedConfig agentId={agentId} />
        ) : (
          <Empty title={playgroundTexts.noPublishedVersion}>
            <p>{playgroundTexts.saveVersionFirst}</p>
          </Empty>
        ))}
      <PlaygroundOptions options={options} onChange={onChange} />
    </section>
  );
}
