import { useCall } from '../../api/queries.ts';
import { recordPath } from '../../routing/record-paths.ts';
import { choiceText } from '../../run/answer-draft.tsx';
import { inboxTexts } from '../../texts/inbox.ts';
import { countText } from '../../texts/language.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Link } from '../../ui/link.tsx';
import { Loaded } from '../../ui/loading/loaded.tsx';
import { StatusMark } from '../../ui/status.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { dollars } from '../../ui/values/format.ts';
import { Time } from '../../ui/values/time.tsx';
import { Value } from '../../ui/values/value.tsx';
import type { InboxEntry } from './use-inbox.ts';

type Call = Exclude<NonNullable<InboxEntry['details']>, string>;

/** What an agent wants to call a tool with, and where each value comes from. */
export const CallArguments = ({ call: { tool, arguments: values } }: { call: Call }) =>
  values.length === 0 ? (
    <p className="help">{inboxTexts.noArguments}</p>
  ) : (
    <Table
      label={inboxTexts.argumentsOf(tool)}
      rows={values}
      keyOf={({ name }) => name}
      columns={[
        { title: inboxTexts.argument, cell: ({ name }) => <code>{name}</code> },
        {
          title: sharedTexts.value,
          width: 'wide',
          cell: ({ name, value }) =>
            isShort(value) ? <bdi>{String(value)}</bdi> : <Value of={value} label={name} />,
        },
        {
          title: inboxTexts.origin,
          cell: ({ origin }) => <span className="help">{originText(origin)}</span>,
        },
      ]}
    />
  );

const isShort = (value: unknown): boolean =>
  ['number', 'boolean'].includes(typeof value) || (typeof value === 'string' && value.length <= 80);

/** `tool:search` is the result of a tool. */
const originText = (origin: string): string =>
  origin.startsWith('tool:')
    ? inboxTexts.fromTool(origin.slice('tool:'.length))
    : (inboxTexts.origins[origin] ?? origin);

/** Beside the question: the record, the run, and what was answered here before. */
export const Evidence = ({ wait }: { wait: InboxEntry }) => (
  <aside className="inbox-evidence" aria-label={inboxTexts.evidence}>
    {wait.recordId && <RecordEvidence id={wait.recordId} />}
    <RunEvidence id={wait.rootRunId} />
    {wait.kind !== 'callback' && <EarlierAnswers wait={wait} />}
  </aside>
);

function RecordEvidence({ id }: { id: string }) {
  const record = useCall('records.get', { params: { id } });
  return (
    <section aria-label={sharedTexts.record}>
      <h3>{sharedTexts.record}</h3>
      <Loaded of={record}>
        {({ name, type, metadata }) => (
          <>
            <p>
              <Link to={recordPath(id)}>
                <bdi>{name}</bdi>
              </Link>{' '}
              <span className="help">
                <bdi>{type}</bdi>
              </span>
            </p>
            {Object.keys(metadata ?? {}).length > 0 && <Metadata of={metadata as Record<string, unknown>} />}
          </>
        )}
      </Loaded>
    </section>
  );
}

const shownMost = 12;

const Metadata = ({ of }: { of: Readonly<Record<string, unknown>> }) => {
  const members = Object.entries(of);
  return (
    <dl className="inbox-metadata">
      {members.slice(0, shownMost).map(([name, value]) => (
        <div key={name}>
          <dt>
            <bdi>{name}</bdi>
          </dt>
          <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
};

function RunEvidence({ id }: { id: string }) {
  const run = useCall('runs.get', { params: { id } });
  return (
    <section aria-label={sharedTexts.oneRun}>
      <h3>{sharedTexts.oneRun}</h3>
      <Loaded of={run}>
        {({ name, status, startedAt, totalCost }) => (
          <p>
            <bdi>{name}</bdi> <StatusMark of={status} />{' '}
            <span className="help">
              <Time at={startedAt} />
              {totalCost !== null && `, ${dollars(totalCost)}`}
            </span>
          </p>
        )}
      </Loaded>
      <p>
        <Link to={`/runs/${id}`}>{inboxTexts.openTrace}</Link>
      </p>
    </section>
  );
}

const earlierMost = 5;

/** Of the same step of the flow, or of the same tool of the agent. */
function EarlierAnswers({ wait }: { wait: InboxEntry }) {
  const { flowId, agentId, kind } = wait;
  const query = {
    status: 'answered' as const,
    kind,
    limit: 50,
    ...(flowId && { flowId }),
    ...(agentId && { agentId }),
  };
  const answered = useCall('waits.list', { query }, { enabled: flowId !== null || agentId !== null });
  if (flowId === null && agentId === null) return null;
  return (
    <section aria-label={inboxTexts.earlierAnswers}>
      <h3>{inboxTexts.earlierAnswers}</h3>
      <Loaded of={answered}>
        {({ data }) => {
          const same = data.filter((each) => each.id !== wait.id && isSamePlace(each, wait));
          if (same.length === 0) return <p className="help">{inboxTexts.noEarlierAnswers}</p>;
          return (
            <>
              <p className="inbox-counts">
                {countChoices(same).map(([choice, count]) => (
                  <span key={choice} className="status">
                    {choiceText(choice)} {countText(count)}
                  </span>
                ))}
              </p>
              <ul className="inbox-earlier">
                {same.slice(0, earlierMost).map((each) => (
                  <li key={each.id}>
                    <strong>
                      {each.answer?.choice ? choiceText(each.answer.choice) : inboxTexts.timeRanOut}
                    </strong>{' '}
                    <Link to={`/runs/${each.rootRunId}`}>
                      <bdi>{each.recordName ?? each.question ?? each.title}</bdi>
                    </Link>
                    <span className="help">
                      <Time at={each.answer?.answeredAt} />
                    </span>
                    {each.answer?.comment && <span className="inbox-comment">{each.answer.comment}</span>}
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

const toolOf = ({ details }: InboxEntry) =>
  details !== null && typeof details !== 'string' ? details.tool : undefined;

const isSamePlace = (one: InboxEntry, other: InboxEntry): boolean =>
  one.stepId === other.stepId && toolOf(one) === toolOf(other);

/** How often each choice was taken, the most frequent first. */
function countChoices(waits: readonly Pick<InboxEntry, 'answer'>[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { answer } of waits)
    if (answer?.choice) counts.set(answer.choice, (counts.get(answer.choice) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one);
}
