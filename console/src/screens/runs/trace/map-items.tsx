import { useMemo } from 'react';
import { itemRows } from '../../../run/item-rows.ts';
import { ItemsTable } from '../../../run/items-table.tsx';
import { runViewTexts } from '../../../texts/run-view.ts';
import { runTexts } from '../../../texts/runs.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { ContentSection } from '../content/run-content.tsx';
import { isUnfinished, type ListedRun } from '../data/use-runs.ts';
import { useStepResults } from '../data/use-step-results.ts';
import type { Span } from './span-tree.ts';

interface Props {
  run: ListedRun;
  flowId: string;
  mapId: string;
}

/** What a map of a flow did for each of its items. */
export function MapItems({ run, flowId, mapId }: Props) {
  const query = { runId: run.id, sortOrder: 'asc' } as const;
  const results = useStepResults(flowId, query, isUnfinished(run) && 5_000);
  const { rows, hasNextPage, isFetchingNextPage, fetchNextPage } = results;
  const items = useMemo(() => {
    const ran = (rows ?? []).map(
      ({ stepPath, status, outputPreview, errorMessage, estimatedCost, durationMs }) => ({
        stepPath: stepPath ?? '',
        status,
        output: errorMessage ?? outputPreview ?? undefined,
        cost: estimatedCost,
        durationMs,
      }),
    );
    return itemRows(ran, mapId);
  }, [rows, mapId]);
  return (
    <ContentSection title={runViewTexts.items}>
      <Loaded of={{ ...results, data: rows }}>
        {() => (
          <>
            {items.length > 0 ? <ItemsTable items={items} /> : <p className="help">{runTexts.none}</p>}
            {hasNextPage && (
              <Button look="quiet" isPending={isFetchingNextPage} onPress={() => fetchNextPage()}>
                {runViewTexts.moreItems}
              </Button>
            )}
          </>
        )}
      </Loaded>
    </ContentSection>
  );
}

/** The id of the step, if the span is that of a map. */
export const mapStepId = ({ attributes }: Pick<Span, 'attributes'>): string | undefined => {
  const { 'flow.step.id': id, 'flow.step.type': type } = attributes;
  return type === 'map' && typeof id === 'string' ? id : undefined;
};
