import measures
from tbparse import SummaryReader

table = SummaryReader(str(measures.folder)).scalars
measures.tell(list(zip(table["tag"], table["step"], table["value"], strict=True)))
