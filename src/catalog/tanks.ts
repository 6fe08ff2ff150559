import type { Tx } from '../db/pool.ts';
import type { CatalogRef } from './customers.ts';
import { lockOrganization } from './organizations.ts';
import { uuid7 } from './uuid7.ts';

export interface NewTank {
  ownerNo: number;
  deviceId: string;
  capacity: number;
  capacityUnit: 'liters' | 'gallons';
  minFillAlertPercentage: number;
  name: string;
  customId?: string | null;
  useCase?: 'residential' | 'commercial' | 'industrial' | null;
  location?: TankLocation;
  createdAt?: string;
}

export interface TankLocation {
  city?: string | null;
  country?: string | null;
  district?: string | null;
  latitude?: number | null;
  longitude?: number | null;
  postalCode?: string | null;
  region?: string | null;
  street?: string | null;
  streetNumber?: string | null;
}

/** Creates tanks in the order given, any number at once. */
export async function createTanks(tx: Tx, organizationNo: number, tanks: readonly NewTank[]): Promise<CatalogRef[]> {
  await lockOrganization(tx, organizationNo);
  const { rows } = await tx.query<CatalogRef>(
    `insert into tanks (organization_no, id, owner_no, assigned_device_id, capacity, capacity_unit, custom_id,
       min_fill_alert_percentage, name, use_case, city, country, district, latitude, longitude, postal_code, region,
       street, street_number, created_at, updated_at)
     select $1, id, "ownerNo", "deviceId", capacity, "capacityUnit", "customId", "minFillAlertPercentage", name,
       "useCase", city, country, district, latitude, longitude, "postalCode", region, street, "streetNumber",
       coalesce("createdAt", now()), coalesce("createdAt", now())
     from json_to_recordset($2) as t (id uuid, "ownerNo" int, "deviceId" text, capacity float8, "capacityUnit" text,
       "customId" text, "minFillAlertPercentage" smallint, name text, "useCase" text, city text, country text,
       district text, latitude float8, longitude float8, "postalCode" text, region text, street text,
       "streetNumber" text, "createdAt" timestamptz)
     returning no, id`,
    [organizationNo, JSON.stringify(tanks.map(({ location, ...tank }) => ({ id: uuid7(), ...tank, ...location })))],
  );
  return rows;
}

/** Deletes one tank for good: its id answers "deleted", nothing personal stays in the row, its device is free. */
export async function deleteTank(tx: Tx, organizationNo: number, tankNo: number): Promise<void> {
  await lockOrganization(tx, organizationNo);
  await tx.query(
    `update tanks set deleted_at = now(), assigned_device_id = null, custom_id = null, name = null, use_case = null,
       city = null, country = null, district = null, latitude = null, longitude = null, postal_code = null,
       region = null, street = null, street_number = null
     where organization_no = $1 and no = $2 and deleted_at is null`,
    [organizationNo, tankNo],
  );
}
