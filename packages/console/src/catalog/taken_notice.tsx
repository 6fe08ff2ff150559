import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { FormProblem } from '../forms/form_problem.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { nameOf } from '../status.ts';
import { tankQuery } from '../tank_query.ts';
import { CATALOG_TEXTS } from '../translations/catalog.ts';

/** Says which other tank already has the device or the key. */
export function TakenNotice({ tankId, device }: { tankId: string; device: string }) {
  const texts = useTexts(CATALOG_TEXTS);
  const { data } = useQuery(tankQuery(tankId));
  if (data === undefined) return null;
  const { tank, owner } = data;
  return (
    <FormProblem>
      {tank.assigned_device_id === device ? texts.deviceTaken(device) : texts.tankKeyTaken}{' '}
      <Link href={`/tanks/${tankId}`}>
        {nameOf(tank)}, {owner.name}
      </Link>
    </FormProblem>
  );
}
