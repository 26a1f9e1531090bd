#!/usr/bin/env bash
# elote 1.5.1: its Whole-History Rating puts two players who ended 15:5 sixteen points apart, and calls it 52 to 48.
#
# Good guess: Whole-History Rating is Bradley-Terry with ratings that drift; on a single day nothing drifts, so 75 % give
#   close to 191 points, less a little for the prior (a virtual game or two), as in other implementations; one can put
#   its ratings beside those of the library's own Bradley-Terry and Elo.
# What happens: the class holds the rating of the first day to 1500 as tightly as it holds one day to the day before: with
#   variance w2 = 300, a standard deviation of 17 points. A hundred games of 75 % give 58 points and 58 %; 1,000 games
#   give 152. Spread over ten days the same hundred games give 141, so the calendar decides. The documentation calls w2
#   the drift per day and nothing else; a w2 large enough for newcomers lets players drift as far each night.
# Who cares: matches between checkpoints are played in one night: all come out nearly equal, expected_score near a half.
# Seen on 2026-11-29 with elote 1.5.1, whole-history-rating 3.7.1 on Python 3.11 (the winner scores three of four games):
#     20 games on  1 days: elote's WHR  16 points, 52 %; whole-history-rating 184 points
#    100 games on  1 days: elote's WHR  58 points, 58 %; whole-history-rating 190 points
#   1000 games on  1 days: elote's WHR 152 points, 71 %; whole-history-rating 191 points
#    100 games on 10 days: elote's WHR 141 points, 69 %; whole-history-rating 187 points
#    100 games, elote's BradleyTerryCompetitor: 191 points, 75 %; its EloCompetitor: 166 points, 72 %
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check elote==1.5.1 whole-history-rating==3.7.1 numpy==2.4.6 scipy==1.17.1

venv/bin/python - <<'PY'
from datetime import datetime, timedelta

from elote import BradleyTerryCompetitor, EloCompetitor, WholeHistoryRatingCompetitor
from whr.whole_history_rating import WHR

START = datetime(2026, 11, 1)


def elote(system, games, days=1):
    """The difference of the ratings and the expected score after three wins of each four games."""
    one, other = system(), system()
    for game in range(games):
        played = {"match_time": START + timedelta(days=game * days // games)} if system is WholeHistoryRatingCompetitor else {}
        (one.lost_to if game % 4 == 3 else one.beat)(other, **played)
    return round(one.rating - other.rating), round(100 * one.expected_score(other))


def peer(games, days=1):
    """The same by the package that converts Coulom's program, with the same drift."""
    history = WHR({"w2": 300})
    for game in range(games):
        history.create_game("one", "other", "W" if game % 4 == 3 else "B", game * days // games, 0)
    history.iterate(100)
    return round(history.ratings_for_player("one")[-1][1] - history.ratings_for_player("other")[-1][1])


recorded = {(20, 1): (16, 52), (100, 1): (58, 58), (1000, 1): (152, 71), (100, 10): (141, 69)}
for (games, days), expected in recorded.items():
    found, other = elote(WholeHistoryRatingCompetitor, games, days), peer(games, days)
    print(f"{games:4} games on {days:2} days: elote's WHR {found[0]:3} points, {found[1]} %; whole-history-rating {other} points")
    assert found == expected and 170 < other < 230
for system in (BradleyTerryCompetitor, EloCompetitor):
    points, percent = elote(system, 100)
    print(f" 100 games, elote's {system.__name__}: {points} points, {percent} %")
    assert points > 160 and percent >= 72
print("as recorded")
PY
