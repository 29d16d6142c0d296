import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { dollars } from '../../ui/values/format.ts';
import { Time } from '../../ui/values/time.tsx';

const limit = 50;

/** What was said with a client token, newest first. */
export function TokenConversations({ id }: { id: string }) {
  const [offset, setOffset] = useState(0);
  const conversations = useCall('GET /v1/client-tokens/{id}/conversations', {
    params: { id },
    query: { limit, offset },
  });
  return (
    <section aria-labelledby="conversations">
      <h2 id="conversations">Conversations</h2>
      <Loaded of={conversations}>
        {({ conversations: rows, pagination }) => (
          <>
            {rows.length === 0 ? (
              <Empty title="No conversations">
                <p>They appear here when somebody chats on a page that has the token.</p>
              </Empty>
            ) : (
              <Table
                label="Conversations"
                rows={rows}
                keyOf={(row) => row.id}
                copyId="Copy conversation ID"
                columns={[
                  {
                    title: 'Begins with',
                    cell: ({ firstMessage, name }) => <bdi>{firstMessage ?? name}</bdi>,
                  },
                  { title: 'Messages', cell: ({ messageCount }) => messageCount, isNumber: true },
                  {
                    title: 'Cost',
                    cell: ({ usage }) => dollars(usage?.totalCost),
                    isNumber: true,
                    isExtra: true,
                  },
                  { title: 'From', cell: ({ origin }) => <bdi>{origin}</bdi>, isExtra: true },
                  { title: 'Last', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
                ]}
              />
            )}
            <div className="actions">
              {offset > 0 && <Button onPress={() => setOffset(offset - limit)}>Newer</Button>}
              {pagination.hasMore && <Button onPress={() => setOffset(offset + limit)}>Older</Button>}
            </div>
          </>
        )}
      </Loaded>
    </section>
  );
}
