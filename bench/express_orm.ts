import { createHash } from 'node:crypto';
import express, { type NextFunction, type Request, type Response } from 'express';
import { type DataType, DataTypes, Sequelize } from 'sequelize';

/**
 * The comparison service: two reads as most teams would first write them, with Express and an ORM. It uses the same
 * database, returns the same bodies and checks keys in the same way. The benchmark starts it.
 */
const { API_DATABASE_URL: url = '', API_PORT: port } = process.env;
const sequelize = new Sequelize(url, { logging: false, pool: { max: 8 } });
const settings = { timestamps: false };
const { BLOB, DATE, DOUBLE, INTEGER, REAL, SMALLINT, TEXT, UUID } = DataTypes;
/** Returns a new object each time, because Sequelize changes it. */
const key = () => ({ type: INTEGER, primaryKey: true });
const columns = (type: DataType, names: string) => Object.fromEntries(names.split(' ').map((name) => [name, { type }]));

const Customer = sequelize.define('customer', { no: key(), id: UUID }, { ...settings, tableName: 'customers' });
const Key = sequelize.define(
  'key',
  { no: key(), prefix: TEXT, secret_sha256: BLOB, organization_no: INTEGER, revoked_at: DATE },
  { ...settings, tableName: 'api_keys' },
);
const Tank = sequelize.define(
  'tank',
  {
    no: key(),
    id: UUID,
    ...columns(INTEGER, 'organization_no owner_no'),
    ...columns(TEXT, 'assigned_device_id capacity_unit custom_id name use_case'),
    ...columns(TEXT, 'city country district postal_code region street street_number'),
    ...columns(DOUBLE, 'capacity latitude longitude'),
    ...columns(DATE, 'created_at updated_at deleted_at'),
    min_fill_alert_percentage: SMALLINT,
  },
  { ...settings, tableName: 'tanks' },
);
const Reading = sequelize.define(
  'reading',
  { tank_no: key(), created_at: { type: DATE, primaryKey: true }, fill_percentage: REAL },
  { ...settings, tableName: 'telemetry' },
);
Tank.belongsTo(Customer, { foreignKey: 'owner_no', targetKey: 'no', as: 'owner' });

const app = express();

async function authenticate(request: Request, response: Response, next: NextFunction): Promise<void> {
  const [prefix = '', secret = ''] = (request.get('x-api-key') ?? '').split('.');
  const found = await Key.findOne({ where: { prefix, revoked_at: null } });
  const hash = createHash('sha256').update(Buffer.from(secret, 'base64url').subarray(0, 32)).digest();
  if (found === null || !hash.equals(found.get('secret_sha256') as Buffer)) {
    response.status(401).json({ title: 'unauthorized' });
    return;
  }
  response.locals['organizationNo'] = found.get('organization_no');
  next();
}

app.get('/v1/tanks/:id', authenticate, async (request, response) => {
  const where = { id: String(request.params['id']), organization_no: response.locals['organizationNo'] as number };
  const tank = await Tank.findOne({ where, include: [{ model: Customer, as: 'owner', attributes: ['id'] }] });
  if (tank === null) {
    response.status(404).json({ title: 'not found' });
    return;
  }
  const {
    no,
    organization_no,
    owner_no,
    owner,
    deleted_at,
    city,
    country,
    district,
    latitude,
    longitude,
    postal_code,
    region,
    street,
    street_number,
    ...rest
  } = tank.get({ plain: true }) as Record<string, unknown> & { owner: { id: string } };
  void [no, organization_no, owner_no, deleted_at];
  const location = { city, country, district, latitude, longitude, postal_code, region, street, street_number };
  response.json({ object: 'tank', ...rest, owner_id: owner.id, location });
});

app.get('/v1/tanks/:id/telemetry', authenticate, async (request, response) => {
  const where = {
    id: String(request.params['id']),
    organization_no: response.locals['organizationNo'] as number,
    deleted_at: null,
  };
  const tank = await Tank.findOne({ where });
  if (tank === null) {
    response.status(404).json({ title: 'not found' });
    return;
  }
  const [page, size] = [Number(request.query['page'] ?? 1), Number(request.query['size'] ?? 10)];
  const { rows, count } = await Reading.findAndCountAll({
    where: { tank_no: tank.get('no') as number },
    order: [['created_at', 'DESC']],
    offset: (page - 1) * size,
    limit: size,
  });
  const data = rows.map((row) => ({
    object: 'telemetry',
    created_at: row.get('created_at'),
    fill_percentage: row.get('fill_percentage'),
  }));
  response.json({ object: 'list', data, page, size, total_pages: Math.ceil(count / size), total_items: count });
});

app.listen(Number(port), '127.0.0.1');
