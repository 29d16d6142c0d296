import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { settingsTexts } from '../../texts/settings.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { dollars } from '../../ui/values/format.ts';
import { Time } from '../../ui/values/time.tsx';

const limit = 50;

/** What was said with a client token, newest first. */
export function TokenConversations({ id }: { id: string }) {
  const [offset, setOffset] = useState(0);
  const conversations = useCall('client-tokens.conversations', {
    params: { id },
    query: { limit, offset },
  });
  return (
    <section aria-labelledby="conversations">
      <h2 id="conversations">{settingsTexts.conversations}</h2>
      <Loaded of={conversations}>
        {({ conversations: rows, pagination }) => (
          <>
            {rows.length === 0 ? (
              <Empty title={settingsTexts.noConversations}>
                <p>{settingsTexts.aboutConversations}</p>
              </Empty>
            ) : (
              <Table
                label={settingsTexts.conversations}
                rows={rows}
                keyOf={(row) => row.id}
                copyId={settingsTexts.copyConversationId}
                columns={[
                  {
                    title: settingsTexts.beginsWith,
                    cell: ({ firstMessage, name }) => <bdi>{firstMessage ?? name}</bdi>,
                  },
                  { title: settingsTexts.messages, cell: ({ messageCount }) => messageCount, isNumber: true },
                  {
                    title: sharedTexts.cost,
                    cell: ({ usage }) => dollars(usage?.totalCost),
                    isNumber: true,
                    isExtra: true,
                  },
                  { title: settingsTexts.from, cell: ({ origin }) => <bdi>{origin}</bdi>, isExtra: true },
                  { title: settingsTexts.last, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
                ]}
              />
            )}
            <div className="actions">
              {offset > 0 && <Button onPress={() => setOffset(offset - limit)}>{sharedTexts.newer}</Button>}
              {pagination.hasMore && (
                <Button onPress={() => setOffset(offset + limit)}>{sharedTexts.older}</Button>
              )}
            </div>
          </>
        )}
      </Loaded>
    </section>
  );
}
