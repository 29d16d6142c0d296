import { useAction, usePages } from '../../api/queries.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Failure } from '../../ui/loading/failure.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { Status } from '../../ui/status.tsx';
import { PagedTable } from '../../ui/tables/paged-table.tsx';
import { Time } from '../../ui/values/time.tsx';
import type { Place } from './place.ts';

/** What the outgoing webhook of a surface sent, or tries to send. */
export function Deliveries({ place }: { place: Place }) {
  const pages = usePages('GET /v1/products/{id}/surfaces/{surfaceId}/deliveries', { params: place });
  const resend = useAction('POST /v1/products/{id}/surfaces/{surfaceId}/deliveries/{deliveryId}/resend', {
    onSuccess: () => notify('Delivery resent'),
  });
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Webhook deliveries</h2>
      {resend.error && <Failure error={resend.error} />}
      <PagedTable
        label="Webhook deliveries"
        pages={pages}
        keyOf={({ id }) => id}
        copyId="Copy delivery ID"
        columns={[
          { title: 'Event', cell: ({ type }) => <code>{type}</code> },
          { title: 'Status', cell: ({ status }) => <Status of={status} /> },
          {
            title: 'Last attempt',
            cell: ({ attempts }) => {
              const last = attempts.at(-1);
              return last ? <bdi>{last.error ?? `Answered ${last.statusCode}`}</bdi> : 'none';
            },
            isExtra: true,
          },
          { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} />, isExtra: true },
          {
            title: 'Actions',
            width: 'wide',
            cell: ({ id }) => (
              <Button look="quiet" onPress={() => resend.mutate({ params: { ...place, deliveryId: id } })}>
                Send again
              </Button>
            ),
          },
        ]}
        empty={<Empty title="No deliveries yet" />}
      />
    </section>
  );
}
