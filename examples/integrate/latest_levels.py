from tankwatch import get

known, after = 0, {}
while True:
    page = get("/fleet/v1/tanks", sort="created", size=200, **after)
    known += sum(status["reading"] is not None for status in page["data"])
    if page["next"] is None:
        break
    after = {"after": page["next"]}
print(f"{known} tanks have a level")
