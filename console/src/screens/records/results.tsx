import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { recordTexts } from '../../texts/records.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { RunResult } from './result.tsx';

const pageRows = 10;

/** What flows made of a record, newest first. */
export function Results({ id }: { id: string }) {
  const [page, setPage] = useState(1);
  const results = useCall(
    'records.results',
    { params: { id }, query: { page, limit: pageRows } },
    { keepsLast: true },
  );
  return (
    <section aria-labelledby="results">
      <h2 id="results">{recordTexts.resultsAndHistory}</h2>
      <Loaded of={results}>
        {({ data, pagination }) =>
          data.length === 0 && page === 1 ? (
            <Empty title={recordTexts.noResultsYet}>
              <p>
                {recordTexts.openFlowToRun((text) => (
                  <Link to="/flows">{text}</Link>
                ))}
              </p>
            </Empty>
          ) : (
            <>
              {data.map((run, index) => (
                <RunResult key={run.id} run={run} place={(page - 1) * pageRows + index} />
              ))}
              <div className="actions">
                {page > 1 && <Button onPress={() => setPage(page - 1)}>{sharedTexts.newer}</Button>}
                {pagination.hasMore && <Button onPress={() => setPage(page + 1)}>{sharedTexts.older}</Button>}
              </div>
            </>
          )
        }
      </Loaded>
    </section>
  );
}
