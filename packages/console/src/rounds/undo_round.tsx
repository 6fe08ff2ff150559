import type { Round, RoundSummary } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, fleet } from '../api.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useReadAgain } from '../change/read_again.ts';
import { useChange } from '../change/use_change.ts';
import { useNow } from '../clock.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNotice } from '../parts/problem.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { stopName } from './stop_texts.ts';

/** Undoes the end of a round, for 30 minutes. Names the tanks that stay on another round. */
export function UndoRounds({ rounds }: { rounds: readonly RoundSummary[] }) {
  const nowMs = useNow();
  const texts = useTexts(ROUND_TEXTS);
  const [left, setLeft] = useState<readonly string[]>([]);
  const ended = rounds.filter(({ undo_until: until }) => until !== null && Date.parse(until) > nowMs);
  return (
    <>
      {left.length > 0 && (
        <p className="notice no-print" role="status">
          {texts.leftOnOther(left.join(', '))}
        </p>
      )}
      {ended.map((round) => (
        <UndoRound key={round.id} round={round} onLeft={setLeft} />
      ))}
    </>
  );
}

function UndoRound({ round, onLeft }: { round: RoundSummary; onLeft: (tanks: readonly string[]) => void }) {
  const { format } = usePreferences();
  const texts = useTexts(ROUND_TEXTS);
  const readAgain = useReadAgain(['rounds'], ['plan'], ['proposal']);
  const read = useQuery({
    queryKey: ['ended-round', round.id],
    queryFn: async ({ signal }) => {
      const [{ stops }, { etag }] = await Promise.all([
        fleet.round(round.id, { signal }),
        client.manage.rounds.retrieve(round.id, { signal }),
      ]);
      return { stops, etag };
    },
    enabled: false,
  });
  const change = useChange<Round>(({ stops }) => {
    const ids = new Set(stops.map(({ tank_id }) => tank_id));
    const left = read.data?.stops.filter(({ tank }) => tank !== null && !ids.has(tank.id)) ?? [];
    onLeft(left.map((stop) => stopName(stop, texts.deletedTank)));
    readAgain();
  });
  const time = format.time(round.undo_until ?? '');
  const text = round.state === 'cancelled' ? texts.isCancelled : texts.isEnded;
  const undo = async (): Promise<void> => {
    const { data, isSuccess } = await read.refetch();
    if (!isSuccess) return;
    const state = round.state === 'cancelled' ? 'planned' : 'under_way';
    change.begin({
      method: 'PATCH',
      path: `/rounds/${round.id}`,
      body: { state },
      ifMatch: data.etag,
      label: texts.undo,
    });
  };
  return (
    <div className="notice undo-round no-print">
      <span role="status">{text(round.truck.name, time)}</span>{' '}
      <Button className="small" disabled={change.isBusy || read.isFetching} onClick={() => void undo()}>
        {texts.undo}
      </Button>
      {read.error !== null && <ProblemNotice error={read.error} onRetry={() => void undo()} />}
      <ChangeNotice change={change} conflict={() => texts.cannotUndo} />
    </div>
  );
}
