import { useState } from 'react';
import { useCall } from '../../../api/queries.ts';
import { productTexts } from '../../../texts/products.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Empty, Loaded } from '../../../ui/loading/loaded.tsx';
import { EditDialog } from '../../../ui/resource/edit-dialog.tsx';
import { targetFields } from '../parts/pickers.tsx';
import type { SurfaceIds } from '../parts/place.ts';
import { ScheduleCard } from './schedule-card.tsx';

/** What a surface runs by the clock. */
export function SurfaceSchedules({ place }: { place: SurfaceIds }) {
  const schedules = useCall('schedules.list', { params: place });
  const [isCreating, setCreating] = useState(false);
  return (
    <section aria-labelledby="schedules">
      <div className="page-head">
        <h2 id="schedules">{productTexts.schedules}</h2>
        <Button onPress={() => setCreating(true)}>{productTexts.createSchedule}</Button>
      </div>
      <Loaded of={schedules}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={productTexts.noSchedules}>
              <p>{productTexts.aboutSchedules}</p>
            </Empty>
          ) : (
            data.map((schedule) => <ScheduleCard key={schedule.id} place={place} schedule={schedule} />)
          )
        }
      </Loaded>
      <EditDialog
        title={productTexts.createSchedule}
        operation="schedules.create"
        params={place}
        value={{ triggerType: 'recurring', cron: '0 7 * * MON-FRI', timezone: zone }}
        shown={['flowId']}
        custom={targetFields}
        submit={sharedTexts.create}
        isOpen={isCreating}
        onClose={() => setCreating(false)}
      />
    </section>
  );
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
