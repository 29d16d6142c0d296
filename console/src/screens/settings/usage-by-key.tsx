import type { OperationResponse } from '../../api/api.ts';
import { useCall } from '../../api/queries.ts';
import { countText } from '../../texts/language.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { usageTexts } from '../../texts/usage.ts';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { dollars } from '../../ui/values/format.ts';
import { Share } from './share.tsx';

type Group = OperationResponse<'run-metrics.get'>['groups'][number];

/** What the runs that each API key started used and cost. @param from The first day, in UTC. */
export function UsageByKey({ from }: { from: string }) {
  const query = { groupBy: 'apiKey', interval: 'day', from: `${from}T00:00:00Z` } as const;
  const metrics = useCall('run-metrics.get', { query }, { keepsLast: true });
  return (
    <section className="card" aria-labelledby="by-key">
      <h2 id="by-key">{usageTexts.byApiKey}</h2>
      <p className="help">{usageTexts.aboutUsageByKey}</p>
      <Loaded of={metrics}>
        {({ groups }) =>
          groups.length === 0 ? <Empty title={usageTexts.noRunsInThisPeriod} /> : <Keys groups={groups} />
        }
      </Loaded>
    </section>
  );
}

function Keys({ groups }: { groups: readonly Group[] }) {
  const costOf = ({ total }: Group) => Number(total.cost ?? 0);
  const whole = groups.reduce((sum, group) => sum + costOf(group), 0);
  return (
    <Table
      label={usageTexts.usageByApiKey}
      rows={groups.toSorted((a, b) => costOf(b) - costOf(a))}
      keyOf={({ key }) => key ?? ''}
      columns={[
        { title: sharedTexts.key, cell: nameOf },
        {
          title: usageTexts.share,
          cell: (group) => <Share of={costOf(group)} whole={whole} />,
          isExtra: true,
        },
        { title: sharedTexts.runs, cell: ({ total }) => countText(total.runs), isNumber: true },
        {
          title: sharedTexts.failed,
          cell: ({ total }) => countText(total.failed),
          isNumber: true,
          isExtra: true,
        },
        {
          title: sharedTexts.tokens,
          cell: ({ total: { tokens } }) => countText(tokens.input + tokens.output),
          isNumber: true,
          isExtra: true,
        },
        {
          title: sharedTexts.cost,
          cell: ({ total }) => (total.cost === null ? sharedTexts.noKnownPrice : dollars(total.cost)),
          isNumber: true,
        },
      ]}
    />
  );
}

const nameOf = ({ key, name }: Group) =>
  key === null ? usageTexts.noApiKey : <bdi>{name ?? usageTexts.deletedKey(key)}</bdi>;
