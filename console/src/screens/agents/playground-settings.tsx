import { Segments } from '../../ui/forms/segments.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { EditFresh } from '../../ui/resource/edit-fresh.tsx';
import { useAgent } from './agent-page.tsx';
import { DraftConfig, PublishedConfig } from './playground-config.tsx';
import { type Options, PlaygroundOptions } from './playground-options.tsx';

const versions = [
  { value: 'draft', label: 'Draft' },
  { value: 'published', label: 'Published version' },
] as const;

interface Props {
  agentId: string;
  options: Options;
  onChange: (options: Options) => void;
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
    <section className="card agents-config" aria-label="Configuration">
      <div className="agents-chat-head">
        <h2>Configuration</h2>
        <Segments
          label="Version that runs"
          value={version}
          options={versions}
          onChange={(next) => onChange({ ...options, version: next })}
        />
      </div>
      <p className={isChanged && version === 'draft' ? 'note' : 'help'} role="status">
        {version === 'published'
          ? 'Runs the published version: what callers get.'
          : isChanged
            ? 'Runs the draft as it was last saved. Save your changes to run them.'
            : 'Runs the draft.'}
      </p>
      {/* Stays in the page, with its edits, while the other version is shown. */}
      <div hidden={version !== 'draft'}>
        {isNative && (
          <EditFresh key={agentId} route="GET /v1/agents/{id}" request={{ params: { id: agentId } }}>
            {(begun) => <DraftConfig {...{ begun, onChanged }} />}
          </EditFresh>
        )}
        {agent.data && !isNative && (
          <p>
            Another server runs this agent. <Link to={`/agents/${agentId}`}>Edit its settings</Link>
          </p>
        )}
      </div>
      {version === 'published' &&
        (isPublished ? (
          <PublishedConfig agentId={agentId} />
        ) : (
          <Empty title="No published version">
            <p>Save the draft as a version first. Until then, callers get the draft.</p>
          </Empty>
        ))}
      <PlaygroundOptions options={options} onChange={onChange} />
    </section>
  );
}
