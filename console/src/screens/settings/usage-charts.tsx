import { BarChart } from '../../ui/bar-chart.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { count, dollars } from '../../ui/values/format.ts';

interface Props {
  days: readonly { date: string; cost: number; tokens: number }[];
  models: readonly {
    modelId: string;
    provider: string;
    requestCount: number;
    totalTokens: number;
    totalCost: number;
  }[];
}

export function CostChart({ days, models }: Props) {
  const total = models.reduce((sum, { totalCost }) => sum + totalCost, 0);
  return (
    <div className="stack">
      <BarChart
        label="Cost of models by day"
        bars={days.map(({ date, cost }) => ({ label: date, value: cost, text: dollars(cost) }))}
      />
      <Table
        label="Cost by model"
        rows={models.toSorted((a, b) => b.totalCost - a.totalCost).slice(0, 10)}
        keyOf={({ provider, modelId }) => `${provider}/${modelId}`}
        columns={[
          { title: 'Model', cell: ({ provider, modelId }) => `${provider}/${modelId}` },
          {
            title: 'Share',
            cell: ({ totalCost }) => <Share of={total > 0 ? totalCost / total : 0} />,
          },
          {
            title: 'Requests',
            cell: ({ requestCount }) => count(requestCount),
            isNumber: true,
            isExtra: true,
          },
          { title: 'Tokens', cell: ({ totalTokens }) => count(totalTokens), isNumber: true, isExtra: true },
          { title: 'Cost', cell: ({ totalCost }) => dollars(totalCost), isNumber: true },
        ]}
      />
    </div>
  );
}

const Share = ({ of }: { of: number }) => (
  <div className="share">
    <span style={{ width: `${of * 100}%` }} />
    {Math.round(of * 100)} %
  </div>
);
