import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useRoundWords } from '../words/round_words.ts';
import { roundCalls } from './calls.ts';
import { useProblemText } from './problem_text.ts';

function FormOf({
  title,
  onSave,
  children,
}: {
  title: string;
  onSave: (data: FormData) => Promise<unknown>;
  children: ReactNode;
}) {
  const words = useRoundWords();
  const problemText = useProblemText();
  const cache = useQueryClient();
  const [problem, setProblem] = useState('');
  const save = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    try {
      await onSave(new FormData(form));
      form.reset();
      setProblem('');
      await cache.invalidateQueries({ queryKey: ['transport'] });
    } catch (error) {
      setProblem(problemText(error, words.conflicts.name));
    }
  };
  return (
    <details className="transport no-print">
      <summary>{title}</summary>
      <form className="filters" onSubmit={(event) => void save(event)}>
        {children}
        <button type="submit" className="button primary">
          {words.save}
        </button>
      </form>
      {problem !== '' && <p role="alert">{problem}</p>}
    </details>
  );
}

const textOf = (data: FormData, name: string): string => {
  const value = data.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

function Field({ name, label, type = 'text' }: { name: string; label: string; type?: 'text' | 'number' | 'tel' }) {
  return (
    <label>
      <span className="meta">{label}</span>
      <input name={name} type={type} required={type !== 'tel'} {...(type === 'number' ? { step: 'any' } : {})} />
    </label>
  );
}

/** A truck, with a depot of its own. Others are made with commands or programs. */
export function TruckForm() {
  const words = useRoundWords();
  return (
    <FormOf
      title={words.addTruck}
      onSave={async (data) => {
        const depot = await roundCalls.createDepot({
          name: textOf(data, 'depot'),
          latitude: Number(textOf(data, 'latitude')),
          longitude: Number(textOf(data, 'longitude')),
        });
        return roundCalls.createTruck({
          name: textOf(data, 'name'),
          depot_id: depot.id,
          capacity: Number(textOf(data, 'capacity')),
          capacity_unit: textOf(data, 'unit'),
        });
      }}
    >
      <Field name="name" label={words.truckName} />
      <Field name="capacity" label={words.capacity} type="number" />
      <label>
        <span className="meta">{words.columns.volume}</span>
        <select name="unit">
          <option value="liters">{words.liters}</option>
          <option value="gallons">{words.gallons}</option>
        </select>
      </label>
      <Field name="depot" label={words.depot} />
      <Field name="latitude" label={words.latitude} type="number" />
      <Field name="longitude" label={words.longitude} type="number" />
    </FormOf>
  );
}

export function DriverForm() {
  const words = useRoundWords();
  return (
    <FormOf
      title={words.addDriver}
      onSave={(data) =>
        roundCalls.createDriver({
          name: textOf(data, 'name'),
          phone: textOf(data, 'phone') === '' ? null : textOf(data, 'phone'),
        })
      }
    >
      <Field name="name" label={words.driverName} />
      <Field name="phone" label={words.driverPhone} type="tel" />
    </FormOf>
  );
}
