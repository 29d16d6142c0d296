import type { AnswerOf } from '../../api/api.ts';
import { Table } from '../../ui/tables/table.tsx';
import { count, dollars } from '../../ui/values/format.ts';
import { Share } from './share.tsx';

type Models = AnswerOf<'GET /v1/model-usage'>['usageByModel'];

const shownMax = 20;

/** The models that cost the most. */
export function UsageByModel({ models }: { models: Models }) {
  const rows = Object.values(models).toSorted((a, b) => b.totalCost - a.totalCost);
  const whole = rows.reduce((sum, { totalCost }) => sum + totalCost, 0);
  return (
    <>
      <h3>By model</h3>
      <Table
        label="Usage by model"
        rows={rows.slice(0, shownMax)}
        keyOf={({ provider, modelId }) => `${provider}/${modelId}`}
        columns={[
          { title: 'Model', cell: ({ provider, modelId }) => <bdi>{`${provider}/${modelId}`}</bdi> },
          { title: 'Share', cell: ({ totalCost }) => <Share of={totalCost} whole={whole} />, isExtra: true },
          { title: 'Calls', cell: ({ requestCount }) => count(requestCount), isNumber: true },
          { title: 'Tokens', cell: ({ totalTokens }) => count(totalTokens), isNumber: true, isExtra: true },
          { title: 'Cost', cell: ({ totalCost }) => dollars(totalCost), isNumber: true },
        ]}
      />
      {rows.length > shownMax && <p className="help">{rows.length - shownMax} more models cost less</p>}
    </>
  );
}
